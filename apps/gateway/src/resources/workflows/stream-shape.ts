import { AguiEvents } from '../../run-events/forms/agui-events';
import { conversationEvents } from '../../run-events/forms/conversation-events';
import { plainEvents } from '../../run-events/forms/event-form';
import type { EventForm } from '../../run-events/forms/event-form';
import { unknownProtocol } from './workflow-errors';

const PROTOCOLS = ['agui', 'langflow'] as const;

/** What a stream of events looks like. */
export interface StreamShape {
  readonly protocol: (typeof PROTOCOLS)[number];
  /** True when vertices and logs are sent, too. */
  readonly showsGraph: boolean;
}

/** Reads the members of a request. Readers of AG-UI do not see the graph unless they ask. Throws invalid_request. */
export function streamShape(name: string | undefined, exposesGraph: boolean | null | undefined): StreamShape {
  const protocol = PROTOCOLS.find((known) => known === (name ?? 'langflow'));
  if (protocol === undefined) throw unknownProtocol(name ?? '', PROTOCOLS);
  return { protocol, showsGraph: exposesGraph ?? protocol === 'langflow' };
}

export interface StreamSubject {
  readonly runId: string;
  readonly sessionId: string;
  /** Id of the last event that the caller received; null for none. */
  readonly after: number | null;
}

/** Returns the form of one stream of a run. */
export function eventForm(
  { protocol, showsGraph }: StreamShape,
  { runId, sessionId, after }: StreamSubject,
): EventForm {
  if (protocol === 'agui') return new AguiEvents({ runId, threadId: sessionId, showsGraph, after });
  return showsGraph ? plainEvents : conversationEvents;
}
