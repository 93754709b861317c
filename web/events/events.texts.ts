/** All texts of lists of events, and of the page of an event. */
export const EVENTS = {
  columns: {
    state: "State",
    event: "Event",
    host: "Host",
    service: "Service",
    when: "When",
    control: "Action",
  },
  hasNotes: "Has notes",
} as const;

export const EVENT = {
  events: "Events",
  unnamed: (id: string) => `Event ${id}`,
  title: (service: string, host: string) => `Event of ${service} on ${host}`,
  fact: {
    host: "Host",
    service: "Service",
    happened: "Happened",
    since: "Failing since",
    ended: "Resolved",
    duration: "Duration",
    lasts: "Has lasted",
    type: "Kind of service",
    class: "Kind of event",
    action: "Done by the agent",
  },
  change: {
    title: "What changed before",
    none: "No change in the hour before on this host, nor in the same minute on other hosts of its groups.",
    kind: "Kind",
    message: "Change",
    service: "Service",
    host: "Host",
    when: "When",
  },
  openService: "Open service",
  around: "Around this event",
  notes: "Notes",
  noNotes: "No note yet.",
  newNote: "New note",
  addNote: "Add note",
  noteAdded: "Note added",
} as const;
