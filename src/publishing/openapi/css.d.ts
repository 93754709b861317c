/** Imported `with { type: "text" }`: the file's content. */
declare module "*.css" {
  const content: string;
  export default content;
}
