/** The bundler copies such a file and gives its address. */
declare module "*.svg" {
  const address: string;
  export default address;
}
