import * as v from "valibot";
import { checked } from "../../platform/http/validate.ts";
import { statusPageList } from "../../publishing/status-pages/status-page-list.ts";
import { findStatusPageBySlug } from "../../publishing/status-pages/status-pages.repository.ts";
import { creation } from "../../publishing/status-pages/status-pages.schemas.ts";
import { idOfGroup, orNone } from "./references.ts";
import type { Section } from "./section.ts";

const pageSchema = v.strictObject({
  slug: v.string(),
  title: v.string(),
  group: v.string(),
  tags: v.array(v.string()),
  services: v.boolean(),
});

export const statusPagesSection: Section<v.InferOutput<typeof pageSchema>> = {
  name: "statuspages",
  schema: pageSchema,
  nameOf: (page) => page.title,
  keyOf: (page) => page.slug,
  exportItems: ({ db }) =>
    statusPageList(db, "all").records.map(({ groupname, slug, title, tags, services }) => ({
      ...{ slug, title, group: groupname, tags, services },
    })),
  importItem: ({ db, statusPages }, { group, tags, ...page }) => {
    const given = checked(creation, { ...page, tag: orNone(tags), groupid: idOfGroup(db, group) });
    const known = findStatusPageBySlug(db, page.slug);
    if (known) statusPages.update({ id: known.id, ...given }, "all");
    else statusPages.create(given, "all");
    return known ? "updated" : "created";
  },
};
