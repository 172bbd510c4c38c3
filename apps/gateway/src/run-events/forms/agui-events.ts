import type { FollowedEvent } from '../event-sequence';
import { AguiContents, toolCallEvents } from './agui-contents';
import type { AguiRun, ProposedCall } from './agui-run';
import { AguiGraph } from './agui-graph';
import { AguiTextMessages } from './agui-text-messages';
import type { AguiEvent } from './agui-text-messages';
import type { EventForm } from './event-form';
import { arrayOf, eventOf, objectOf, textOf } from './event-of';
import type { EventData } from './event-of';

const LOST = 'The run ended without a result.';
const ANSWERED =
  'The question of the run was answered before it arrived. The run goes on; read it by its id.';

export interface AguiEventsOptions {
  readonly runId: string;
  /** The session of the run. */
  readonly threadId: string;
  /** True to show vertices and logs, too. */
  readonly showsGraph: boolean;
  /** Id of the last event that the caller received; null for none. */
  readonly after: number | null;
  /** Set for a stream that is a run of AG-UI 1.0, and not one in the form of Langflow. */
  readonly own?: AguiRun;
}

/**
 * The events of a run in the AG-UI protocol. Ids count from 0 and are the same in each stream of a run. Another attempt
 * repeats the events of the run; a `CUSTOM` event announces it, because the protocol has none for it.
 */
export class AguiEvents implements EventForm {
  readonly #options: AguiEventsOptions;
  readonly #texts = new AguiTextMessages();
  readonly #contents: AguiContents;
  readonly #graph: AguiGraph | null;
  /** The failure of a vertex that has not been sent; Langflow's form has it before the run ends. */
  #failure: AguiEvent | null = null;
  #isFailed = false;
  #number = 0;

  constructor(options: AguiEventsOptions) {
    this.#options = options;
    this.#contents = new AguiContents(options.own);
    this.#graph = options.showsGraph ? new AguiGraph() : null;
  }

  opening(): readonly FollowedEvent[] {
    const version = this.#options.own ? { protocolVersion: '1.0' } : {};
    return this.#write([{ ...this.#runEvent('RUN_STARTED'), ...version }, ...(this.#graph?.opening() ?? [])]);
  }

  running(events: readonly FollowedEvent[]): readonly FollowedEvent[] {
    const since = this.#options.own?.since ?? 0;
    return this.#write(
      events.flatMap(({ id, text }) => {
        if (id <= since) return [];
        const { event, data } = eventOf(text);
        const failure = this.#failure;
        const translated = this.#translate(event, data);
        if (translated.length === 0 || failure === null || this.#failure === null) return translated;
        this.#failure = null;
        return [failure, ...translated];
      }),
    );
  }

  closing(texts: readonly string[], isSuspended: boolean): readonly FollowedEvent[] {
    const last = texts.map(eventOf).at(-1)?.data ?? {};
    const ending = isSuspended ? this.#pause(last) : this.#end(objectOf(last['result']));
    const events = [...(this.#failure ? [this.#failure] : []), ...this.#texts.end(), ...ending];
    const { after } = this.#options;
    // Events that the caller received are no longer kept, so the count is behind. The end of the run must arrive.
    if (after !== null && after >= this.#number + events.length) this.#number = after + 1;
    return this.#write(events);
  }

  #translate(event: string, data: EventData): readonly AguiEvent[] {
    const graph = this.#graph;
    switch (event) {
      case 'token':
        return this.#texts.token(textOf(data['id']), textOf(data['chunk']));
      case 'add_message':
        return this.#message(data);
      case 'remove_message':
        this.#texts.remove(textOf(data['id']));
        return [custom('langflow.message.removed', { message_id: textOf(data['id']) })];
      case 'error':
        return this.#options.own ? [] : this.#fail(data);
      case 'restart':
        // What failed is tried again.
        this.#failure = null;
        this.#isFailed = false;
        return [...this.#texts.end(), custom('millrace.run.restarted', data)];
      case 'human_input_required':
        // The end of the run has what it asks.
        return this.#options.own ? [] : [...this.#texts.end(), custom('langflow.human_input_required', data)];
      case 'log':
        return graph ? [custom('langflow.log', data)] : [];
      case 'vertices_sorted':
        return graph?.sorted(data) ?? [];
      case 'build_start':
        return graph?.started(data) ?? [];
      case 'end_vertex':
        return graph?.ended(data) ?? [];
      default:
        return [];
    }
  }

  /** A failed vertex may be tried again, so its failure waits for the next event. */
  #fail(data: EventData): readonly AguiEvent[] {
    this.#failure = { type: 'RUN_ERROR', message: textOf(data['text']).trim() || LOST };
    this.#isFailed = true;
    return this.#texts.end();
  }

  #message(data: EventData): readonly AguiEvent[] {
    if (data['sender'] === 'User') return [];
    const id = textOf(data['id']);
    const contents = this.#contents.of(id, data['content_blocks']);
    const isPartial = objectOf(data['properties'])['state'] === 'partial';
    return isPartial ? contents : [...contents, ...this.#texts.complete(id, textOf(data['text']))];
  }

  /** The form of Langflow ends at the question. */
  #pause({ interrupts, calls }: EventData): AguiEvent[] {
    if (!this.#options.own) return [];
    if (arrayOf(interrupts).length === 0)
      return [{ type: 'RUN_ERROR', message: ANSWERED, code: 'answered_elsewhere' }];
    return [
      ...arrayOf(calls).flatMap((call) => toolCallEvents(call as ProposedCall)),
      { ...this.#runEvent('RUN_FINISHED'), outcome: { type: 'interrupt', interrupts } },
    ];
  }

  /** The form of Langflow has no end for a cancelled run: an error would report a failure, so it finishes. */
  #end({ status, errors, outputs }: EventData): AguiEvent[] {
    const { own } = this.#options;
    const finished = this.#runEvent('RUN_FINISHED');
    if (status === 'completed')
      return own ? [{ ...finished, result: outputs ?? null, outcome: { type: 'success' } }] : [finished];
    if (status === 'cancelled') {
      const reason = 'The run was cancelled.';
      return own
        ? [{ ...finished, outcome: { type: 'cancelled' } }]
        : [custom('langflow.run.cancelled', { reason }), finished];
    }
    if (this.#isFailed) return [finished];
    const error = objectOf(arrayOf(errors)[0]);
    const code = textOf(error['code']);
    return [{ type: 'RUN_ERROR', message: textOf(error['error']) || LOST, ...(code === '' ? {} : { code }) }];
  }

  #runEvent(type: 'RUN_STARTED' | 'RUN_FINISHED'): AguiEvent {
    const { threadId, runId } = this.#options;
    return { type, threadId, runId };
  }

  #write(events: readonly AguiEvent[]): readonly FollowedEvent[] {
    return events.map((event) => ({ id: this.#number++, text: JSON.stringify(event) }));
  }
}

function custom(name: string, value: EventData): AguiEvent {
  return { type: 'CUSTOM', name, value };
}
