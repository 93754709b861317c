import * as v from "valibot";
import { allowedBy, allowing, boolean, described, nameText, text } from "../../platform/http/validate.ts";
import { USER_ORIGINS } from "../../platform/storage/schema/accounts.ts";

export const uname = described(text(1, 255), "login name");
/** Older names may have control characters. */
export const newUname = described(
  allowing(
    v.pipe(nameText(255), v.regex(/^\P{Cc}*$/u)),
    `${allowedBy(nameText(255))}, without control characters`,
  ),
  "login name",
);
/** Fewest characters of a new password. Older and shorter ones stay valid. */
const MIN_PASSWORD = 8;
export const newPassword = described(text(MIN_PASSWORD, 255), "password in clear text");
export const password = described(text(1, 255), "password in clear text");

const details = {
  fullname: described(nameText(255), "full name"),
  title: described(v.optional(text(0, 255)), "title"),
  email: described(v.optional(text(0, 255)), "e-mail address"),
  phone: described(v.optional(text(0, 255)), "phone number"),
  mobile: described(v.optional(text(0, 255)), "mobile number"),
  imname: described(v.optional(text(0, 255)), "instant messaging address"),
  imtype: described(v.optional(text(0, 255)), "instant messaging service"),
};
const admin = described(boolean, "whether the user is an administrator");

export const createArguments = v.object({
  uname: newUname,
  password: newPassword,
  ...details,
  admin: v.optional(admin, false),
});
export type UserCreation = v.InferOutput<typeof createArguments>;

export const updateArguments = v.object({
  uname,
  password: described(
    text(0, 255),
    "new password in clear text, of at least 8 characters; the current one, its MD5 or an empty text leaves the password unchanged",
  ),
  oldpassword: described(password, "current password, in clear text or as MD5"),
  ...details,
  admin: v.optional(admin),
});
export type UserUpdate = v.InferOutput<typeof updateArguments>;

/** Argument of operations that every user may call for their own account. */
export const ownOrOther = described(v.optional(uname), "login name; without it, the caller's own");

export const pictureArguments = v.object({
  uname: ownOrOther,
  remove: described(v.optional(boolean, false), "true: remove the picture"),
});

const string = v.string();

export const userReply = v.object({
  uname: described(string, "login name"),
  password: described(string, "MD5 of the password, upper case; empty for callers who may not see it"),
  fullname: described(string, "full name"),
  image: described(string, "name of the picture's file below /uploads/; empty without a picture"),
  title: described(string, "title"),
  email: described(string, "e-mail address"),
  phone: described(string, "phone number"),
  mobile: described(string, "mobile number"),
  imname: described(string, "instant messaging address"),
  imtype: described(string, "instant messaging service"),
  admin: described(v.boolean(), "whether the user is an administrator"),
  origin: described(
    v.picklist(USER_ORIGINS),
    "who authenticates the user: local (a password in Muster), oidc (the OpenID provider) or proxy (a trusted proxy)",
  ),
  secondfactor: described(v.boolean(), "whether sign-in requires a code besides the password"),
});
export const userListReply = v.array(v.omit(userReply, ["password", "phone", "admin"]));
export const callerReply = v.pick(userReply, ["uname", "fullname", "admin", "image"]);
export const createReply = v.pick(userReply, ["uname"]);
export const pictureReply = v.pick(userReply, ["image"]);
