import { setTimeout as pause } from 'node:timers/promises';
import type { PrincipalCache } from '@millrace/access';
import { HttpError } from '@millrace/http';
import type { BegunCheck, ConsolePrincipal, ConsoleSessionStore } from '@millrace/runs';
import { backoff, TimeoutError, withDeadline } from '@millrace/service';
import type { Counter, Logger, SharedClock } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import type { KeyedStreams } from '../keyed-streams';
import { askIssuer, concernsOneSession } from './ask-issuer';
import type { IssuerAnswer } from './ask-issuer';
import type { GroupMembers } from './group-members';
import type { Issuer } from './issuer';
import { issuerUnavailable } from './issuer-fetch';

/** Of the time between two checks: when one begins beside a request, and when requests wait for it. */
const BEGIN = 0.75;
const WAIT = 0.8;
/** How long a session lives while its issuer does not answer, in times between two checks. */
const GRACE = 10;
const STREAM_CHECKS = 12;
/** How long a request waits for a check, which goes on. */
const PATIENCE_MILLISECONDS = 5_000;
/** Within these polls another process has ended its check, or is taken for lost. */
const POLL_MILLISECONDS = 200;
const MAXIMUM_POLLS = 40;
/** About ten seconds, in which a standby of the database takes over; no other process begins the check meanwhile. */
const STORE_TRIES = 12;
const MAXIMUM_FAILING = 1_000;

export interface SessionChecksOptions {
  /** By their addresses. */
  readonly issuers: ReadonlyMap<string, Issuer>;
  readonly consoleSessions: ConsoleSessionStore;
  readonly sessions: PrincipalCache<ConsolePrincipal>;
  readonly streams: KeyedStreams;
  readonly members: Pick<GroupMembers, 'follow'>;
  /** Ends a session by its id, on all gateways. */
  readonly end: (sessionId: string) => Promise<void>;
  /** Within this time after an issuer disables an account, its sessions are out. */
  readonly maximumMilliseconds: number;
  /** Checks at one issuer at the same time; each is a connection. An issuer that hangs keeps no session of another from its check. */
  readonly maximumOfIssuer: number;
  readonly clock: SharedClock;
  readonly logger: Logger;
  /** By outcome: confirmed, ended or unanswered. */
  readonly checked: Counter;
}

/** Checks that failed, of an issuer or of one session. */
interface Failing {
  readonly failures: number;
  /** No check begins before, in milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Checks sessions at the issuers that opened them, while they are used: beside a request when one is due, before it when the latest is too
 * old. One process checks a session at a time, because an issuer may take a refresh token once.
 */
export class SessionChecks {
  readonly #options: SessionChecksOptions;
  /** By the hash of the session's token. */
  readonly #running = new Map<string, Promise<void>>();
  /** How many of them each issuer has, by its address. */
  readonly #runningAt = new Map<string, number>();
  /** By the address of an issuer, or by the hash of a session's token. */
  readonly #failing = new LRUCache<string, Failing>({ max: MAXIMUM_FAILING });
  #checkingStreams: Promise<void> | null = null;
  readonly #timer: NodeJS.Timeout;

  constructor(options: SessionChecksOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#checkingStreams ??= this.#checkStreams().finally(() => (this.#checkingStreams = null));
    }, options.maximumMilliseconds / STREAM_CHECKS).unref();
  }

  /**
   * Returns the principal of a session when its issuer has confirmed it lately, or does not answer for a while; resolves to null when the issuer
   * has ended it. Throws or rejects with issuer_unavailable.
   */
  confirm(found: ConsolePrincipal): ConsolePrincipal | Promise<ConsolePrincipal | null> {
    const age = this.#ageOf(found);
    const { maximumMilliseconds } = this.#options;
    if (age < maximumMilliseconds * BEGIN) return found;
    const running = this.#check(found);
    if (running === null) return this.#withinGrace(found);
    if (age < maximumMilliseconds * WAIT) return found;
    return withDeadline(running, PATIENCE_MILLISECONDS, 'the issuer does not answer').then(
      () => this.#found(found),
      (error: unknown) => {
        if (error instanceof TimeoutError) return this.#withinGrace(found);
        throw error;
      },
    );
  }

  /** The principal after a check that has ended. */
  async #found({ session }: ConsolePrincipal): Promise<ConsolePrincipal | null> {
    const now = await this.#options.sessions.find(session.tokenHash);
    return now === null ? null : this.#withinGrace(now);
  }

  /** Ends the checks of streams, and waits for those that run. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checkingStreams;
    await Promise.all(this.#running.values());
  }

  /** Milliseconds since the latest confirmed check; negative for a session that is not checked. */
  #ageOf({ session: { check } }: ConsolePrincipal): number {
    return check === null ? -1 : this.#options.clock.now() - check.checkedAt.getTime();
  }

  #withinGrace(found: ConsolePrincipal): ConsolePrincipal {
    const { issuers, maximumMilliseconds } = this.#options;
    if (this.#ageOf(found) < maximumMilliseconds * GRACE) return found;
    const issuer = issuers.get(found.session.check?.issuer ?? '');
    throw issuerUnavailable(issuer?.settings.name ?? '', new Error('sessions could not be checked'));
  }

  /** Null while no check can begin. */
  #check(found: ConsolePrincipal): Promise<void> | null {
    const { tokenHash, check } = found.session;
    const issuer = check?.issuer ?? '';
    const running = this.#running.get(tokenHash);
    if (running !== undefined) return running;
    if (this.#isFailing(tokenHash) || this.#isFailing(issuer)) return null;
    const others = this.#runningAt.get(issuer) ?? 0;
    if (others >= this.#options.maximumOfIssuer) return null;
    this.#runningAt.set(issuer, others + 1);
    const begun = this.#run(found).finally(() => {
      this.#running.delete(tokenHash);
      this.#runningAt.set(issuer, (this.#runningAt.get(issuer) ?? 1) - 1);
    });
    this.#running.set(tokenHash, begun);
    return begun;
  }

  #isFailing(place: string): boolean {
    const failing = this.#failing.get(place);
    return failing !== undefined && this.#options.clock.now() < failing.until;
  }

  /** Never rejects. */
  async #run({ session }: ConsolePrincipal): Promise<void> {
    const { checked, consoleSessions, members, logger } = this.#options;
    const { id, tokenHash } = session;
    const address = session.check?.issuer ?? '';
    let begun: BegunCheck | null = null;
    // What fails: the issuer while it is asked, else the check of this session.
    let place = tokenHash;
    try {
      begun = await this.#begin(session);
      if (begun === null) return;
      place = address;
      const answer = await this.#ask(address, begun);
      this.#failing.delete(address);
      place = tokenHash;
      checked.add(1, { outcome: await this.#settle(session, answer) });
      if (answer.grant !== undefined) await members.follow(answer.grant);
      this.#failing.delete(tokenHash);
    } catch (error) {
      checked.add(1, { outcome: 'unanswered' });
      this.#pause(concernsOneSession(error) ? tokenHash : place, session, error);
      if (begun === null) return;
      await consoleSessions.abandonCheck(id, begun.claim).catch((failure: unknown) =>
        // The check counts as abandoned after a while.
        logger.warn({ error: failure, sessionId: id }, 'a check of a session could not be given up'),
      );
    }
  }

  async #ask(address: string, begun: BegunCheck): Promise<IssuerAnswer> {
    const { issuers, logger } = this.#options;
    const issuer = issuers.get(address);
    const clientId = issuer?.settings.clientId;
    // The settings have the issuer or its client no more.
    if (issuer === undefined || clientId === undefined) return { stays: false };
    return askIssuer({ issuer, clientId, logger }, begun);
  }

  async #settle(
    { id, tokenHash }: ConsolePrincipal['session'],
    { stays, next }: IssuerAnswer,
  ): Promise<'confirmed' | 'ended'> {
    const { consoleSessions, sessions, end } = this.#options;
    if (!stays) {
      await end(id);
      return 'ended';
    }
    await stored(() => consoleSessions.confirmCheck(id, next));
    sessions.invalidate(tokenHash);
    return 'confirmed';
  }

  /** Waits while another process checks the session. Null when that has succeeded or ended it. */
  async #begin({ id, tokenHash }: ConsolePrincipal['session']): Promise<BegunCheck | null> {
    const { consoleSessions, sessions, clock, maximumMilliseconds } = this.#options;
    for (let polls = 0; ; polls += 1) {
      const due = new Date(clock.now() - maximumMilliseconds * BEGIN);
      const begun = await consoleSessions.beginCheck(id, due);
      if (begun !== null) return begun;
      sessions.invalidate(tokenHash);
      const now = await sessions.find(tokenHash);
      if (now === null || this.#ageOf(now) < maximumMilliseconds * BEGIN) return null;
      if (polls === MAXIMUM_POLLS) throw new Error('another process did not end its check');
      await pause(POLL_MILLISECONDS);
    }
  }

  #pause(place: string, { id, check }: ConsolePrincipal['session'], error: unknown): void {
    const { issuers, clock, logger, maximumMilliseconds } = this.#options;
    const address = check?.issuer ?? '';
    // Checks that ran together fail together.
    if (this.#isFailing(place)) return;
    const { failures } = this.#failing.get(place) ?? { failures: 0 };
    const milliseconds = backoff({
      initialMilliseconds: maximumMilliseconds / 30,
      maximumMilliseconds: maximumMilliseconds / 6,
      attempt: failures,
    });
    this.#failing.set(place, { failures: failures + 1, until: clock.now() + milliseconds });
    const graceSeconds = (maximumMilliseconds * GRACE) / 1_000;
    logger.warn(
      { error, issuer: issuers.get(address)?.settings.name, sessionId: id, graceSeconds },
      place === address
        ? 'an issuer did not answer the check of a session'
        : 'a session could not be checked at its issuer',
    );
  }

  /** A session with an open stream is in use. Never rejects. */
  async #checkStreams(): Promise<void> {
    const { streams, sessions, logger } = this.#options;
    await Promise.all(
      streams.sessions().map(async (tokenHash) => {
        try {
          const found = await sessions.find(tokenHash);
          if (found === null) streams.end(tokenHash);
          else await this.confirm(found);
        } catch (error) {
          if (error instanceof HttpError && error.code === 'issuer_unavailable') streams.end(tokenHash);
          else logger.warn({ error }, 'the session of a stream could not be checked');
        }
      }),
    );
  }
}

/** A rotated token that is not stored is lost, and the session with it. */
async function stored(store: () => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await store();
    } catch (error) {
      if (attempt + 1 === STORE_TRIES) throw error;
      await pause(backoff({ initialMilliseconds: 200, maximumMilliseconds: 1_000, attempt }));
    }
  }
}
