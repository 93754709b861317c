/** A script that is imported as text. */
declare module "*.sh" {
  const text: string;
  export default text;
}
