/** Style of pages outside the web UI: in its colours, sizes and typeface. */
import type { Handler } from "hono";
import fallback from "../../../web/style/font.css" with { type: "text" };
import tokens from "../../../web/style/tokens.css" with { type: "text" };
import { contentOf, contentOnce, contentReply } from "./content.ts";
import type { AppEnv } from "./context.ts";
import type { StaticFiles } from "./static.ts";
import { TYPEFACE, TYPEFACE_WEIGHT } from "./typeface.ts";

export interface PageStyle {
  /** Serves a style sheet: the rules that all of these pages share, followed by `rules`. */
  sheet: (rules: string) => Handler<AppEnv>;
  /** Headers of a page, with which browsers request the typeface together with the style sheet. */
  headers: Readonly<Record<string, string>>;
}

/** Where the UI serves a file of the typeface; undefined while the UI is not built. The name contains a hash. */
function addressOf(web: StaticFiles, file: string): string | undefined {
  return web.keys().find((path) => path.startsWith(`/${file}-`));
}

/** The fallback has the same metrics, so text does not move when the file arrives. */
function declaration(address: string, characters: string): string {
  return `@font-face {
  font-family: Geist;
  font-weight: ${TYPEFACE_WEIGHT};
  font-display: swap;
  src: url(${address}) format("woff2");
  unicode-range: ${characters};
}`;
}

/** @param web files of the UI, whose typeface these pages share */
export function pageStyle(web: StaticFiles): PageStyle {
  const faces = Object.values(TYPEFACE).flatMap(({ file, characters }) => {
    const address = addressOf(web, file);
    return address === undefined ? [] : [declaration(address, characters)];
  });
  const latin = addressOf(web, TYPEFACE.latin.file);
  return {
    sheet: (rules) => {
      const content = contentOnce(() =>
        contentOf(new TextEncoder().encode([tokens, fallback, ...faces, rules].join("\n"))),
      );
      return async (c) =>
        contentReply(c, await content(), {
          "Content-Type": "text/css; charset=utf-8",
          "Cache-Control": "no-cache",
        });
    },
    headers: latin ? { Link: `<${latin}>; rel=preload; as=font; type="font/woff2"; crossorigin` } : {},
  };
}
