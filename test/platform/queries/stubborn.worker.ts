/** A thread that never answers, or ends with the question "uptimeList". */
export {};

declare const self: Worker;

self.onmessage = ({ data }) => {
  if (data.name === "uptimeList") throw new Error("broken on purpose");
};
