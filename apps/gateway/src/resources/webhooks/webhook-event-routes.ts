import type { FlowCache } from '@millrace/access';
import { HttpError } from '@millrace/http';
import type { KeyedStreams } from '../../authentication/keyed-streams';
import { keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import type { Operation } from '../../http/routing/operation';
import type { FlowWatch } from './flow-watch';
import { WatcherStream } from './watcher-stream';

export interface WebhookEventRoutesOptions {
  readonly flows: FlowCache;
  readonly watch: FlowWatch;
  readonly streams: KeyedStreams;
}

const operation = {
  summary: 'Watch the webhook runs of a flow',
  answers: {
    200: {
      description: 'Server-sent events until the caller disconnects; each names its run',
      content: { 'text/event-stream': { type: 'string' } },
    },
  },
  errors: ['flow_unknown', 'too_many_runs', 'shutting_down', 'broker_unavailable'],
} as const satisfies Operation;

/** Route that streams the events of a flow's webhook runs, from all executors. */
export function webhookEventRoutes({ flows, watch, streams }: WebhookEventRoutesOptions): readonly Route[] {
  const handle = async ({ request, response, principal }: KeyedCall) => {
    const reference = pathParameter(request, 'flow');
    const flow = await flows.find(principal.userId, reference);
    if (!flow) throw new HttpError('flow_unknown', `Flow identifier ${reference} not found`);
    const stream = new WatcherStream(response);
    streams.trackFlow(principal, flow.id, response);
    const leave = await watch.watch(flow, stream);
    if (response.destroyed) return leave();
    response.once('close', leave);
    stream.open({ event: 'connected', data: { flow_id: flow.id, flow_name: flow.name } });
  };
  return [
    keyedRoute('GET /api/v1/webhook-events/:flow', { wording: 'events', scope: 'run' }, operation, handle),
  ];
}
