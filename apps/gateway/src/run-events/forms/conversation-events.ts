import { jsonDumpsCompactAscii } from '@millrace/python-text';
import type { FollowedEvent } from '../event-sequence';
import { plainEvents } from './event-form';
import type { EventForm } from './event-form';
import { eventOf, objectOf } from './event-of';
import type { EventData } from './event-of';

const GRAPH_EVENTS = new Set(['vertices_sorted', 'end_vertex', 'log']);
const BUILD_EVENTS = new Set(['build_start', 'build_end']);
const MESSAGE_EVENTS = new Set(['add_message', 'error']);

/** The conversation alone: no vertices and logs, and messages without the vertex that they come from. */
export const conversationEvents: EventForm = {
  ...plainEvents,
  running: (events) => events.flatMap(withoutGraph),
};

function withoutGraph(followed: FollowedEvent): readonly FollowedEvent[] {
  const { event, data } = eventOf(followed.text);
  if (GRAPH_EVENTS.has(event)) return [];
  if (BUILD_EVENTS.has(event) && data['id'] !== undefined) return [];
  if (!MESSAGE_EVENTS.has(event)) return [followed];
  // A message has its properties twice.
  const message = withoutSource(data);
  const nested = 'data' in message ? { data: withoutSource(objectOf(message['data'])) } : {};
  return [{ id: followed.id, text: jsonDumpsCompactAscii({ event, data: { ...message, ...nested } }) }];
}

function withoutSource(message: EventData): EventData {
  const properties = objectOf(message['properties']);
  const names = Object.keys(objectOf(properties['source']));
  if (names.length === 0) return message;
  const source = Object.fromEntries(names.map((name) => [name, null]));
  return { ...message, properties: { ...properties, source } };
}
