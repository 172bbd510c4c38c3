import { clientAddresses } from '@millrace/http';
import { hashApiKey } from '@millrace/runs';
import type {
  AuditActor,
  AuditLog,
  ConsoleSessionStore,
  IssuerToken,
  Principal,
  Scope,
} from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import type { SessionCookie } from '../../authentication/session-cookie';
import type { Call } from '../../http/routing/route';
import type { ControlChannel } from '../../runs/control-channel';
import { sessionEnded, sessionStarted } from './console-session-view';
import type { EndedSession, SignedIn } from './console-session-view';

const MAXIMUM_SESSIONS_OF_A_USER = 20;

export interface StartSessionOptions {
  readonly cookie: SessionCookie;
  readonly consoleSessions: ConsoleSessionStore;
  readonly audit: AuditLog;
  readonly control: ControlChannel;
  readonly endSession: (tokenHash: string) => void;
  readonly lifetimeSeconds: number;
}

/** What an issuer says of a session. */
export interface Granted {
  readonly scopes: readonly Scope[];
  readonly issuerSession: string | undefined;
  /** What asks the issuer about the account later; undefined where it gives nothing for it. */
  readonly issuerToken: IssuerToken | undefined;
  /** Seconds for which the tokens say that they count; null for those that the issuer renews. */
  readonly seconds: number | null;
}

/** Starts a session of the web console for a principal. Its cookie is in the answer, to which other cookies can be added. */
export async function startSession(
  options: StartSessionOptions,
  call: Call,
  principal: Principal,
  granted?: Granted,
): Promise<SignedIn & { readonly cookie: string }> {
  const { cookie, consoleSessions, audit, lifetimeSeconds } = options;
  const { request } = call;
  const token = cookie.newToken();
  const { session, ended } = await audit.change(actorOf({ ...call, principal }), async (change) => {
    const created = await consoleSessions.within(change).create({
      tokenHash: hashApiKey(token),
      principal,
      lifetimeSeconds: Math.min(lifetimeSeconds, granted?.seconds ?? lifetimeSeconds),
      userAgent: request.headers['user-agent'] ?? null,
      clientAddress: clientAddresses(request).clientAddress,
      scopes: granted?.scopes,
      issuerSession: granted?.issuerSession,
      issuerToken: granted?.issuerToken,
      maximumSessions: MAXIMUM_SESSIONS_OF_A_USER,
    });
    for (const beyond of created.ended) change.note(sessionEnded(beyond));
    change.note(sessionStarted(created.session));
    return created;
  });
  await announceEnds(options, ended);
  return {
    principal,
    sessionId: session.id,
    expiresAt: session.expiresAt,
    cookie: cookie.setCookie(request, token, session.expiresAt),
  };
}

/** Ends a session on all gateways; of this user alone unless null. Resolves to whether there was one. */
export async function endConsoleSession(
  options: Pick<StartSessionOptions, 'audit' | 'consoleSessions' | 'control' | 'endSession'>,
  actor: AuditActor,
  { id, userId }: { readonly id: string; readonly userId: string | null },
): Promise<boolean> {
  const { audit, consoleSessions } = options;
  const deleted = await audit.change(actor, async (change) => {
    const found = await consoleSessions.within(change).delete(id, userId);
    if (found) change.note(sessionEnded(found));
    return found;
  });
  if (deleted) await announceEnds(options, [deleted]);
  return deleted !== null;
}

/** Lets all gateways forget sessions that have ended, and end their streams. */
export async function announceEnds(
  { control, endSession }: Pick<StartSessionOptions, 'control' | 'endSession'>,
  ended: readonly EndedSession[],
): Promise<void> {
  for (const { tokenHash } of ended) {
    endSession(tokenHash);
    // Sent before the answer, so that the caller can rely on the end of the session.
    await control.send({ kind: 'session-ended', tokenHash });
  }
}
