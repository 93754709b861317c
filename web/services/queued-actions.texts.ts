/** All texts of actions that wait until the agent asks for them. */
export const QUEUED = {
  title: "Queued actions",
  states: {
    waiting: "Waiting for the agent",
    fetched: "Sent to the agent",
    ran: "Ran",
    failed: "Failed",
    expired: "Expired",
    cancelled: "Cancelled",
  },
  what: (action: string, service: string, output: string) =>
    output === "" ? `${action} ${service}` : `${action} ${service}: ${output}`,
  asked: (uname: string) => `asked by ${uname}`,
  cancel: "Cancel",
  cancelOf: (action: string, service: string) => `Cancel ${action.toLowerCase()} of ${service}`,
  ended: ", ended",
  announced: (state: string, service: string) => `${service}: ${state}`,
} as const;
