/** The typeface of text and charts. It is declared here rather than in a style sheet, which would embed its files. */
import latinExtended from "@fontsource-variable/geist/files/geist-latin-ext-wght-normal.woff2";
import latin from "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2";
import { TYPEFACE, TYPEFACE_WEIGHT } from "../../src/platform/http/typeface.ts";

const FILES = [
  [latin, TYPEFACE.latin],
  [latinExtended, TYPEFACE.latinExtended],
] as const;

/** Declares the typeface. Until it has arrived, text is shown in the fallback of `font.css`. */
export function declareTypeface(): void {
  for (const [address, { characters }] of FILES)
    document.fonts.add(
      new FontFace("Geist", `url(${address})`, {
        weight: TYPEFACE_WEIGHT,
        display: "swap",
        unicodeRange: characters,
      }),
    );
}
