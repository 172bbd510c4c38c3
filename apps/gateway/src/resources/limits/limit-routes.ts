import type { FlowCache, PrincipalCache } from '@millrace/access';
import { HttpError } from '@millrace/http';
import {
  closedObject,
  integer,
  listOf,
  named,
  orNull,
  text as textSchema,
  uuid,
  namedObject,
} from '@millrace/messages';
import type { AuditLog, LimitedObject, Limits, LimitScope, LimitStore, UserStore } from '@millrace/runs';
import { endUserName } from '../../end-users/end-user-sessions';
import { actorOf } from '../../authentication/actor-of';
import { requireAdmin } from '../../authentication/require-admin';
import { sendJson } from '../../http/answers/send-json';
import { forAdmins, forManagement } from '../../http/routing/access';
import { json, jsonBody, queryParameter } from '../../http/routing/operation';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';
import { requireBody } from '../../http/validation/require-body';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { createValidator } from '../../http/validation/validator';
import type { ControlChannel } from '../../runs/control-channel';
import { budgetBodySchema, budgetOf, budgetSchema, budgetView, keyBudgetBodySchema } from './budget-fields';
import { ofEndUsers, spendSchema, spendView, warnsOfNothing } from './budget-fields';

const MAXIMUM = 1_000_000;
const MAXIMUM_WEIGHT = 100;
/** A petabyte. */
const MAXIMUM_BYTES = 1_000_000_000_000_000;
const perSecond = { type: ['number', 'null'], minimum: 0.01, maximum: MAXIMUM } as const;
const runs = { type: ['integer', 'null'], minimum: 1, maximum: MAXIMUM } as const;
const bytes = { type: ['integer', 'null'], minimum: 1, maximum: MAXIMUM_BYTES } as const;
const ofKeys = {
  requests_per_second: perSecond,
  body_bytes_per_day: bytes,
  file_bytes_per_day: bytes,
  end_user_requests_per_second: perSecond,
  end_user_concurrent_runs: runs,
  budget: keyBudgetBodySchema,
};
const ofOthers = {
  requests_per_second: perSecond,
  concurrent_runs: runs,
  waiting_runs: runs,
  body_bytes_per_day: bytes,
  file_bytes_per_day: bytes,
  budget: budgetBodySchema,
};
const keyLimitsSchema = closedBody('KeyLimitsBody', ofKeys);
const limitsSchema = closedBody('LimitsBody', ofOthers);
const projectLimitsSchema = closedBody('ProjectLimitsBody', {
  ...ofOthers,
  weight: { type: ['integer', 'null'], minimum: 1, maximum: MAXIMUM_WEIGHT },
});
/** Limits as a body; null and an absent member limit nothing. */
type LimitsBody = ValueOf<typeof keyLimitsSchema> & ValueOf<typeof projectLimitsSchema>;
const bodySchemas = {
  key: keyLimitsSchema,
  user: limitsSchema,
  project: projectLimitsSchema,
  flow: limitsSchema,
} as const;
const number = orNull({ type: 'number' });
const members = {
  requests_per_second: number,
  concurrent_runs: orNull(integer),
  waiting_runs: orNull(integer),
  weight: orNull(integer),
  body_bytes_per_day: orNull(integer),
  file_bytes_per_day: orNull(integer),
  end_user_requests_per_second: number,
  end_user_concurrent_runs: orNull(integer),
  budget: orNull(budgetSchema),
  spend: orNull(spendSchema),
};
const viewSchema = closedObject(members);
const answers = { 200: json('The limits', named('Limits', viewSchema)) };
const listedSchema = namedObject('ListedLimits', {
  scope: { enum: ['key', 'user', 'project', 'flow'] },
  id: uuid,
  name: orNull(textSchema),
  ...members,
});
const listAnswers = {
  200: json('The limits', closedObject({ limits: listOf(listedSchema), complete: { type: 'boolean' } })),
};
const endUserQuery = {
  end_user_id: queryParameter('string', 'The end user whose spend is shown in place of that of the key'),
};
/** Of one user. */
const MAXIMUM_LISTED = 500;

const scopes = [
  {
    scope: 'key',
    path: '/api/v1/limits/api_key/:api_key_id',
    code: 'key_unknown',
    text: 'API Key not found',
    what: 'a key',
  },
  {
    scope: 'user',
    path: '/api/v1/limits/users/:user_id',
    code: 'not_found',
    text: 'User not found',
    what: 'a user, for admins',
  },
  {
    scope: 'project',
    path: '/api/v1/limits/projects/:project_id',
    code: 'not_found',
    text: 'Project not found',
    what: 'a project',
  },
  {
    scope: 'flow',
    path: '/api/v1/limits/flows/:flow_id',
    code: 'flow_unknown',
    text: 'Flow not found',
    what: 'a flow',
  },
] as const satisfies readonly { readonly scope: LimitScope; [name: string]: string }[];

export interface LimitRoutesOptions {
  readonly limitStore: LimitStore;
  readonly users: UserStore;
  readonly audit: AuditLog;
  readonly principals: PrincipalCache;
  readonly sessions: PrincipalCache;
  readonly cache: FlowCache;
  readonly control: ControlChannel;
}

/** Routes that read and replace the limits and budgets of keys, users, projects and flows. Those of users are for admins. */
export function limitRoutes(options: LimitRoutesOptions): readonly Route[] {
  return [listRoute(options), ...routesOfObjects(options)];
}

function listRoute({ limitStore }: LimitRoutesOptions): Route {
  return {
    method: 'GET',
    path: '/api/v1/limits',
    access: forManagement,
    operation: { summary: 'List what limits you and your keys, projects and flows', answers: listAnswers },
    async handle({ response, principal }) {
      const found = await limitStore.list(principal.userId, MAXIMUM_LISTED + 1);
      sendJson(response, 200, {
        limits: found.slice(0, MAXIMUM_LISTED).map(({ scope, id, name, limits, spend }) => ({
          scope,
          id,
          name,
          ...viewOf(limits),
          spend: limits.budget === undefined ? null : spendView(limits.budget, spend),
        })),
        complete: found.length <= MAXIMUM_LISTED,
      });
    },
  };
}

function routesOfObjects(options: LimitRoutesOptions): readonly Route[] {
  const { limitStore, users, audit, principals, sessions, cache, control } = options;
  return scopes.flatMap(({ scope, path, code, text, what }): Route[] => {
    const parameter = path.slice(path.indexOf(':') + 1);
    const access = scope === 'user' ? forAdmins : forManagement;
    const bodySchema = bodySchemas[scope];
    const check = createValidator(bodySchema);
    const objectOf = async (call: KeyedCall): Promise<LimitedObject> => {
      if (scope === 'user') await requireAdmin(users, call);
      const id = parseUuidStrictly(pathParameter(call.request, parameter), ['path', parameter]);
      return { scope, id, ownerId: scope === 'user' ? null : call.principal.userId };
    };
    const shown = async (object: LimitedObject, limits: Limits) => {
      const { budget } = limits;
      const spend = budget === undefined ? null : spendView(budget, await limitStore.spend(object));
      return { ...viewOf(limits), spend };
    };
    const read = async (call: KeyedCall) => {
      const object = await objectOf(call);
      const found = await limitStore.find(object);
      if (found === null) throw new HttpError(code, text);
      const endUser = call.query.get('end_user_id');
      if (scope !== 'key' || endUser === null)
        return sendJson(call.response, 200, await shown(object, found.limits));
      const budget = ofEndUsers(found.limits.budget ?? {});
      const spend = await limitStore.endUserSpend(call.principal.userId, endUserName(endUser));
      sendJson(call.response, 200, { ...viewOf(found.limits), spend: spendView(budget, spend) });
    };
    const replace = async (call: KeyedCall) => {
      const object = await objectOf(call);
      check(requireBody(call.body));
      const limits = limitsOf(call.body as LimitsBody);
      if (warnsOfNothing(limits.budget))
        throw new HttpError('invalid_value', 'The member warn_at needs a budget in dollars or tokens.');
      const changed = await audit.change(actorOf(call), async (change) => {
        const found = await limitStore.within(change).replace(object, limits);
        if (found === null) return null;
        const { budget, ...others } = viewOf(found.limits);
        const detail = { scope, ...others, ...budget };
        change.note({ action: 'limits.changed', objectId: object.id, objectName: found.name, detail });
        return found;
      });
      if (changed === null) throw new HttpError(code, text);
      for (const each of [principals, sessions, cache]) each.clear();
      await control.send({ kind: 'limits-changed', scope });
      sendJson(call.response, 200, await shown(object, changed.limits));
    };
    const errors = scope === 'user' ? ([code, 'permission_denied'] as const) : ([code] as const);
    return [
      {
        method: 'GET',
        path,
        access,
        operation: {
          summary: `Read the limits of ${what}`,
          ...(scope === 'key' ? { query: endUserQuery } : {}),
          answers,
          errors: scope === 'key' ? [...errors, 'end_user_invalid'] : errors,
        },
        handle: read,
      },
      {
        method: 'PUT',
        path,
        access,
        body: 'json',
        countsNoBytes: true,
        operation: {
          summary: `Replace the limits of ${what}`,
          body: jsonBody(bodySchema),
          answers,
          errors: [...errors, 'invalid_value'],
        },
        handle: replace,
      },
    ];
  });
}

function limitsOf(body: LimitsBody): Limits {
  const { requests_per_second: requestsPerSecond, concurrent_runs: concurrentRuns } = body;
  const { waiting_runs: waitingRuns, weight, body_bytes_per_day: bodyBytesPerDay } = body;
  const { file_bytes_per_day: fileBytesPerDay } = body;
  const { end_user_requests_per_second: ofEndUser, end_user_concurrent_runs: runsOfEndUser } = body;
  const budget = budgetOf(body.budget);
  return {
    ...(requestsPerSecond == null ? {} : { requestsPerSecond }),
    ...(concurrentRuns == null ? {} : { concurrentRuns }),
    ...(waitingRuns == null ? {} : { waitingRuns }),
    ...(weight == null ? {} : { weight }),
    ...(bodyBytesPerDay == null ? {} : { bodyBytesPerDay }),
    ...(fileBytesPerDay == null ? {} : { fileBytesPerDay }),
    ...(ofEndUser == null ? {} : { endUserRequestsPerSecond: ofEndUser }),
    ...(runsOfEndUser == null ? {} : { endUserConcurrentRuns: runsOfEndUser }),
    ...(budget === undefined ? {} : { budget }),
  };
}

function viewOf(limits: Limits) {
  return {
    requests_per_second: limits.requestsPerSecond ?? null,
    concurrent_runs: limits.concurrentRuns ?? null,
    waiting_runs: limits.waitingRuns ?? null,
    weight: limits.weight ?? null,
    body_bytes_per_day: limits.bodyBytesPerDay ?? null,
    file_bytes_per_day: limits.fileBytesPerDay ?? null,
    end_user_requests_per_second: limits.endUserRequestsPerSecond ?? null,
    end_user_concurrent_runs: limits.endUserConcurrentRuns ?? null,
    budget: budgetView(limits.budget),
  };
}
