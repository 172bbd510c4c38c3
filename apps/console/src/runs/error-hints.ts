/** What to do about a failure, by its code; `docs/use/errors.md` explains each. */
const HINTS: Readonly<Record<string, string>> = {
  component_failed:
    'The vertex below failed. Correct the flow or the request, then replay the run; a retry rule of the flow repeats such failures.',
  flow_refused:
    'The flow cannot run as it is. Its page shows each vertex with the reason; roll back to an earlier version, or correct it and replay.',
  deadline_exceeded:
    'The run did not end in time. Raise deadlineSeconds in the settings of the flow, or look for the slow vertex in the timeline.',
  too_many_attempts: 'Each attempt crashed its executor. The log of the executors says why.',
  input_too_large: 'The request is too large. Upload the data as a file and name it in the request.',
  cancelled: 'A person or a program cancelled the run.',
  no_executor: 'No executor took the run in time. See Workers.',
};

export const hintFor = (code: string): string | undefined => HINTS[code];
