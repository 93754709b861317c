import { useRef } from "preact/hooks";
import { ApiError, type CallArguments } from "../api/client.ts";
import { useMuster } from "../state/muster.ts";
import { RECORDS } from "./records.texts.ts";

const textOfField = (record: object, field: string) =>
  JSON.stringify((record as Record<string, unknown>)[field]);

/**
 * Returns a function that saves a record from its form. If someone else has changed a field of the form since it began,
 * it says so instead; called again, it saves. The record is read just before: of two people who save within
 * milliseconds, the last one still wins.
 * @param operation gets the record: "/admin/channels/get"
 * @param record with which the form begins, and goes on after it has saved; null for a new one
 * @param recordIn the record in a reply with more; undefined if it is gone, which the operation that saves it says
 */
export function useSaveUnlessChanged<Reply extends object>(
  operation: string,
  record: object | null,
  recordIn: (reply: Reply) => object | undefined = (reply) => reply,
) {
  const { api } = useMuster();
  /** What the user knows to be stored; null: the record. */
  const seen = useRef(record);
  return async (id: CallArguments, fields: readonly string[], save: () => Promise<unknown>) => {
    const stored = recordIn(await api.get<Reply>(operation, id));
    if (stored) {
      const begun = seen.current ?? record ?? stored;
      seen.current = stored;
      if (fields.some((field) => textOfField(begun, field) !== textOfField(stored, field)))
        throw new ApiError(-1, "record.changed", RECORDS.changedMeanwhile);
    }
    await save();
    seen.current = null;
  };
}
