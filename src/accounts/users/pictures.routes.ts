import { Hono } from "hono";
import { type AppEnv, callerOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { getOnly } from "../../platform/http/mount.ts";
import { type Operation, write } from "../../platform/http/operation.ts";
import { MAX_PICTURE_BYTES } from "./picture-types.ts";
import { pictureArguments, pictureReply } from "./users.schemas.ts";
import type { Users } from "./users.service.ts";

/** The operation that sets and removes pictures: users their own, administrators anyone's. */
export function pictureOperations(users: Users): Operation[] {
  return [
    write("/admin/users/image", {
      access: "self",
      summary: "Set a user's picture (PNG, JPEG or WebP), or remove it with remove=1",
      request: pictureArguments,
      upload: {
        field: "image",
        maxBytes: MAX_PICTURE_BYTES,
        meaning: "the picture: PNG, JPEG or WebP",
      },
      response: pictureReply,
      errors: [because(errors.missingArgument, "Neither a picture nor remove is set"), noSuch("user")],
      audit: {
        subject: "user",
        id: ({ uname }, _reply, c) => uname ?? callerOf(c).uname,
        details: ({ remove }) => ({ picture: remove ? "removed" : "set" }),
      },
      handle: ({ uname, remove }, c) => {
        const upload = c.get("upload");
        if (remove && upload) throw errors.badRequest("Give either image or remove=1");
        if (!remove && !upload)
          throw errors.missingArgument("image", "a PNG, JPEG or WebP file, or remove=1");
        return { image: users.setPicture(uname ?? callerOf(c).uname, upload) };
      },
    }),
  ];
}

/** `GET /uploads/<name>`: users' pictures, for signed-in users. */
export function pictureRoutes(users: Users): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  getOnly(routes, "/:name", (c) => {
    if (!c.get("caller")) throw errors.signInNeeded();
    const picture = users.picture(c.req.param("name") ?? "");
    if (!picture) throw errors.noSuchPath();
    return c.body(picture.bytes, 200, {
      "Content-Type": picture.mime,
      // Names are never reused.
      "Cache-Control": "private, max-age=86400, immutable",
      // Defence in depth: a file that a browser rendered as a page could run nothing.
      "Content-Security-Policy": "default-src 'none'; sandbox",
    });
  });
  return routes;
}
