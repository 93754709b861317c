import { expect, test } from "bun:test";
import { browserName } from "../../../web/users/sessions.tsx";

const CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";

test("a browser is shown by name and system, any other client by its User-Agent", () => {
  expect(browserName(CHROME)).toBe("Chrome on Linux");
  expect(browserName(`${CHROME.replace("X11; Linux x86_64", "Windows NT 10.0")} Edg/140.0`)).toBe(
    "Edge on Windows",
  );
  expect(browserName("Mozilla/5.0 (Macintosh; Intel Mac OS X 15.0; rv:140) Gecko/2010 Firefox/140.0")).toBe(
    "Firefox on Mac OS X",
  );
  expect(browserName("curl/8.1")).toBe("curl");
  expect(browserName("my own program")).toBe("my own program");
  expect(browserName("")).toBe("unknown");
});
