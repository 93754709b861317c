import * as v from "valibot";
import { boolean, text } from "../http/validate.ts";

export const uname = text(1, 255);
export const password = text(1, 255);

const details = {
  fullname: text(1, 255),
  title: v.optional(text(0, 255)),
  email: v.optional(text(0, 255)),
  phone: v.optional(text(0, 255)),
  mobile: v.optional(text(0, 255)),
  imname: v.optional(text(0, 255)),
  imtype: v.optional(text(0, 255)),
};

export const createArguments = v.object({
  uname,
  password,
  ...details,
  admin: v.optional(boolean, false),
});
export type UserCreation = v.InferOutput<typeof createArguments>;

export const updateArguments = v.object({
  uname,
  password,
  oldpassword: password,
  ...details,
  admin: v.optional(boolean),
});
export type UserUpdate = v.InferOutput<typeof updateArguments>;

export const pictureArguments = v.object({ uname: v.optional(uname), remove: v.optional(boolean, false) });

const string = v.string();
const origin = v.picklist(["local", "oidc", "proxy"]);

export const userListReply = v.array(
  v.object({
    uname: string,
    fullname: string,
    image: string,
    title: string,
    email: string,
    mobile: string,
    imname: string,
    imtype: string,
    origin,
    secondfactor: v.boolean(),
  }),
);

export const userReply = v.object({
  uname: string,
  password: v.pipe(
    string,
    v.description("MD5 of the password, upper case; empty for those who may not see it"),
  ),
  fullname: string,
  image: string,
  title: string,
  email: string,
  phone: string,
  mobile: string,
  imname: string,
  imtype: string,
  admin: v.boolean(),
  origin,
  secondfactor: v.boolean(),
});

export const callerReply = v.object({ uname: string, fullname: string, admin: v.boolean(), image: string });
export const createReply = v.object({ uname: string });
export const pictureReply = v.object({ image: string });
