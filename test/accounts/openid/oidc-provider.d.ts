/** The parts of the package that the tests use; it has no types. */
declare module "oidc-provider" {
  import type { IncomingMessage, Server, ServerResponse } from "node:http";

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Context {
    path: string;
    method: string;
    status: number;
    body: unknown;
    type: string;
    req: IncomingMessage;
    res: ServerResponse;
    respond: boolean;
    oidc: { session: { accountId: string }; client: { clientId: string } };
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    Grant: new (of: {
      accountId: string;
      clientId: string;
    }) => Grant;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    listen(port: number, host: string): Server;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ prompt: { name: string } }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
