import { useInfiniteQuery } from '@tanstack/react-query';
import { call, query } from '../api/client';
import type { Schemas } from '../api/answers';

/** A session of a flow, as `GET /api/v1/conversations` lists it. */
export type ConversationEntry = Schemas['ConversationList']['conversations'][number];

export type ConversationMessage = Schemas['ConversationMessages']['messages'][number];

export interface SessionFilter {
  readonly flow_id?: string | undefined;
  readonly session_id?: string | undefined;
}

const SESSIONS = 50;
const MESSAGES = 30;

/** Sessions with a run that is kept, that with the newest run first, in pages. */
export const useConversations = (filter: SessionFilter) =>
  useInfiniteQuery({
    queryKey: ['conversations', filter],
    queryFn: ({ pageParam, signal }) =>
      call<Schemas['ConversationList']>(
        `/api/v1/conversations${query({ ...filter, cursor: pageParam, limit: SESSIONS })}`,
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });

/** The messages of a session in pages, from its end; `messages` has the oldest one first. */
export function useConversationMessages(flow: string, session: string) {
  const pages = useInfiniteQuery({
    queryKey: ['conversation', flow, session],
    queryFn: ({ pageParam, signal }) =>
      call<Schemas['ConversationMessages']>(
        `/api/v1/conversations/messages${query({ flow_id: flow, session_id: session, cursor: pageParam, limit: MESSAGES })}`,
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const messages = (pages.data?.pages.flatMap((page) => page.messages) ?? []).toReversed();
  return { pages, messages };
}
