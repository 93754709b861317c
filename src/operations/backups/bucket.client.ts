/** Signed requests to an S3-compatible bucket, by the egress client. */
import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import {
  type Egress,
  EgressError,
  type EgressRequest,
  type EgressResponse,
} from "../../platform/egress/egress.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { type BucketOptions, descriptionOf } from "./target.ts";

interface BucketRequest {
  method: EgressRequest["method"];
  /** Name of the object; null for the bucket itself. */
  name: string | null;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Length of the answer, where it is known; a shorter one was cut on its way. */
  answerBytes?: number;
}

/** Attempts of a request, and the wait after the first that failed, milliseconds. Each further wait is twice as long. */
const ATTEMPTS = 5;
const FIRST_WAIT_MS = 1000;
/** The most bytes of a listing or an error that are read. */
const MAX_DOCUMENT_BYTES = 2 * 1024 * 1024;

/** The bucket refused a request. */
export class BucketError extends StartupError {
  constructor(
    message: string,
    readonly status: number,
    /** The service's word for it, as in NoSuchUpload; "" without one. */
    readonly code: string,
  ) {
    super(message);
  }
}

/** The text of the first element with this name in a document of the service. */
export function elementText(document: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(document)?.[1];
}

/** Whether another attempt may succeed. */
function isPassing(status: number, code: string): boolean {
  return (
    status >= 500 || status === 408 || status === 429 || code === "RequestTimeout" || code === "SlowDown"
  );
}

/**
 * One bucket, at a path prefix in it. A request that failed for a passing reason is sent again, up to five
 * times.
 */
export class BucketClient {
  constructor(
    private readonly options: BucketOptions,
    private readonly egress: Pick<Egress, "request">,
    private readonly sleep: (milliseconds: number) => Promise<void>,
  ) {}

  get description(): string {
    return descriptionOf({ kind: "bucket", ...this.options });
  }

  /** Sends a request, again if that may help. @throws BucketError, or StartupError without an answer */
  async request(request: BucketRequest): Promise<EgressResponse> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === ATTEMPTS;
      try {
        const answer = await this.#send(request);
        const error = this.#errorIn(answer, request.answerBytes);
        if (error === null) return answer;
        if (isLast || !isPassing(error.status, error.code)) throw error;
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        if (isLast || error.final) throw new StartupError(`${this.description}: ${error.message}`);
      }
      await this.sleep(FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
  }

  #errorIn({ status, body, bytes }: EgressResponse, answerBytes = bytes.length): BucketError | null {
    // The answer to a completed upload can begin with 200 and end with an error.
    const isError = status < 200 || status > 299 || /^\s*(<\?xml[^>]*>\s*)?<Error>/.test(body);
    if (!isError && bytes.length === answerBytes) return null;
    if (!isError)
      return new BucketError(
        `${this.description}: the bucket sent ${bytes.length} of ${answerBytes} bytes`,
        500,
        "",
      );
    const code = elementText(body, "Code") ?? "";
    const message = elementText(body, "Message") ?? "";
    const text = [String(status), code, message].filter((part) => part !== "").join(" ");
    return new BucketError(
      `${this.description}: the bucket answers ${text}`,
      status < 300 ? 500 : status,
      code,
    );
  }

  async #send({ method, name, query, headers, body = "", answerBytes }: BucketRequest) {
    const { endpoint, region, bucket, prefix, keyId, secret } = this.options;
    const path = name === null ? bucket : `${bucket}/${prefix}${name}`;
    const url = new URL(
      `${endpoint.replace(/\/+$/, "")}/${path.split("/").map(encodeURIComponent).join("/")}`,
    );
    for (const [key, value] of Object.entries(query ?? {})) url.searchParams.set(key, value);
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, "X-Amz-Content-Sha256": createHash("sha256").update(body).digest("hex") },
      accessKeyId: keyId,
      secretAccessKey: secret,
      service: "s3",
      region,
    });
    const signed = await signer.sign();
    return this.egress.request(signed.url.href, {
      method,
      headers: Object.fromEntries(signed.headers),
      body,
      maxAnswerBytes: answerBytes ?? MAX_DOCUMENT_BYTES,
    });
  }
}
