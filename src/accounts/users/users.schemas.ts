import * as v from "valibot";
import { boolean, described, text } from "../../platform/http/validate.ts";

export const uname = described(text(1, 255), "login name");
export const password = described(text(1, 255), "password in clear text");

const details = {
  fullname: described(text(1, 255), "full name"),
  title: described(v.optional(text(0, 255)), "title"),
  email: described(v.optional(text(0, 255)), "e-mail address"),
  phone: described(v.optional(text(0, 255)), "phone number"),
  mobile: described(v.optional(text(0, 255)), "mobile number"),
  imname: described(v.optional(text(0, 255)), "instant messaging address"),
  imtype: described(v.optional(text(0, 255)), "instant messaging service"),
};
const admin = described(boolean, "whether the user is an administrator");

export const createArguments = v.object({
  uname,
  password,
  ...details,
  admin: v.optional(admin, false),
});
export type UserCreation = v.InferOutput<typeof createArguments>;

export const updateArguments = v.object({
  uname,
  password: described(
    password,
    "new password in clear text; the current one, or its MD5, leaves the password unchanged",
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
const image = described(string, "name of the picture's file below /uploads/; empty without a picture");
const reply = {
  uname: described(string, "login name"),
  fullname: described(string, "full name"),
  image,
  title: described(string, "title"),
  email: described(string, "e-mail address"),
  mobile: described(string, "mobile number"),
  imname: described(string, "instant messaging address"),
  imtype: described(string, "instant messaging service"),
  origin: described(
    v.picklist(["local", "oidc", "proxy"]),
    "who authenticates the user: local (a password in Muster), oidc (the OpenID provider) or proxy (a trusted proxy)",
  ),
  secondfactor: described(v.boolean(), "whether sign-in requires a code besides the password"),
};
const isAdmin = described(v.boolean(), "whether the user is an administrator");

export const userListReply = v.array(v.object(reply));

export const userReply = v.object({
  uname: reply.uname,
  password: described(string, "MD5 of the password, upper case; empty for callers who may not see it"),
  fullname: reply.fullname,
  image,
  title: reply.title,
  email: reply.email,
  phone: described(string, "phone number"),
  mobile: reply.mobile,
  imname: reply.imname,
  imtype: reply.imtype,
  admin: isAdmin,
  origin: reply.origin,
  secondfactor: reply.secondfactor,
});

export const callerReply = v.object({
  uname: reply.uname,
  fullname: reply.fullname,
  admin: isAdmin,
  image,
});
export const createReply = v.object({ uname: reply.uname });
export const pictureReply = v.object({ image });
