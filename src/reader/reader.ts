import type { Csv } from "../http/csv.ts";
import { PreparedReply } from "../http/prepared.ts";
import { prepare } from "./answer.ts";
import type { QuestionName, Questions } from "./questions.ts";

/** What a question is answered with: plain data, or a reply that is ready to be sent, as tables always are. */
export type Answer<K extends QuestionName> = Exclude<ReturnType<Questions[K]>, Csv> | PreparedReply;

/** Who answers the questions that can take long. */
export interface Reader {
  /** @throws ApiError as the question does, 503 when too many wait or it takes too long */
  ask<K extends QuestionName>(name: K, ...args: Parameters<Questions[K]>): Promise<Answer<K>>;
}

/** Answers at once, on the thread that asks. */
export class InlineReader implements Reader {
  constructor(private readonly questions: Questions) {}

  async ask<K extends QuestionName>(name: K, ...args: Parameters<Questions[K]>): Promise<Answer<K>> {
    const question = this.questions[name] as (...given: Parameters<Questions[K]>) => Answer<K> | Csv;
    const answer = question(...args);
    return isTable(answer) ? prepare(answer) : answer;
  }
}

function isTable(answer: object): answer is Csv {
  return !(answer instanceof PreparedReply) && "rows" in answer && "filename" in answer;
}
