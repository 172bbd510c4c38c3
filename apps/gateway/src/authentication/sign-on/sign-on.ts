import type { PrincipalCache } from '@millrace/access';
import type { AuditLog, IdentityStore } from '@millrace/runs';
import { BearerTokens } from './bearer-tokens';
import type { GroupMembers } from './group-members';
import { Identities } from './identities';
import { createIssuerFetch } from './issuer-fetch';
import type { IssuerSettings } from './issuer-settings';
import { Issuer } from './issuer';
import { SessionChecks } from './session-checks';
import type { SessionChecksOptions } from './session-checks';

export interface SignOnOptions extends Omit<SessionChecksOptions, 'issuers'> {
  readonly configured: readonly IssuerSettings[];
  readonly members: GroupMembers;
  readonly identities: IdentityStore;
  readonly audit: AuditLog;
  readonly principals: PrincipalCache;
}

/** The issuers whose users sign in. */
export interface SignOn {
  /** By name. */
  readonly issuers: ReadonlyMap<string, Issuer>;
  readonly identities: Identities;
  readonly tokens: BearerTokens;
  readonly checks: SessionChecks;
  close(): Promise<void>;
}

/** Null where no issuer is configured: then nothing of it is loaded. */
export function createSignOn({
  configured,
  identities: store,
  audit,
  principals,
  ...checked
}: SignOnOptions): SignOn | null {
  if (configured.length === 0) return null;
  const { clock, members } = checked;
  const fetch = createIssuerFetch();
  const issuers = configured.map((one) => new Issuer({ settings: one, fetch, clock }));
  const identities = new Identities({ identities: store, audit, principals, members });
  const byAddress = new Map(issuers.map((one) => [one.settings.issuer, one]));
  const checks = new SessionChecks({ ...checked, issuers: byAddress });
  return {
    issuers: new Map(issuers.map((one) => [one.settings.name, one])),
    identities,
    tokens: new BearerTokens({ issuers: byAddress, identities, clock }),
    checks,
    async close() {
      await checks.close();
      await fetch.close();
    },
  };
}
