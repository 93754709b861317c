/** The bundler copies the file; the import is its URL. */
declare module "*.svg" {
  const address: string;
  export default address;
}
declare module "*.woff2" {
  const address: string;
  export default address;
}
