/** Imported with `{ type: "text" }`; the value is the content of the file. */
declare module "*.sh" {
  const content: string;
  export default content;
}
