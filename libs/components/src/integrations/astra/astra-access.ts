import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { callJson } from '../http/call-service';
import { objectsMember, textMember } from '../http/json-members';
import { textSetting } from '../text-setting';
import { serviceAddress } from '../http/service-address';

/** The address of a database of Astra, and the token for it. */
export interface AstraAccess {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly keyspace: string;
  readonly token: string;
}

const service = 'Astra DB';

/**
 * Resolves the database that a node names: by its address, else by its name, which Astra looks up; else by the variable
 * ASTRA_DB_API_ENDPOINT.
 */
export async function resolveAstraAccess(context: ComponentContext): Promise<AstraAccess> {
  const { fields } = context;
  const token =
    textSetting(fields, ['token']).trim() || (await context.variable('ASTRA_DB_APPLICATION_TOKEN')) || '';
  if (token === '') throw new ComponentError('Astra DB Application Token is required');
  const keyspace = textSetting(fields, ['keyspace', 'namespace']).trim() || 'default_keyspace';
  const given = textSetting(fields, ['api_endpoint']).trim();
  const named = textSetting(fields, ['database_name']).trim();
  const address =
    given ||
    (named.startsWith('https://') ? named : '') ||
    (named === '' ? '' : await endpointOf(named, token, context)) ||
    (await context.variable('ASTRA_DB_API_ENDPOINT')) ||
    '';
  return { endpoint: serviceAddress(address, service), keyspace, token };
}

/** Returns the address of the database of this name. Empty when the token has no access to such a database. */
async function endpointOf(name: string, token: string, context: ComponentContext): Promise<string> {
  const answer = await callJson(
    {
      service,
      url: 'https://api.astra.datastax.com/v2/databases',
      query: { include: 'nonterminated', limit: 100 },
      headers: { authorization: `Bearer ${token}` },
      secrets: [token],
    },
    context,
  );
  const database = objectsMember({ answer }, 'answer').find(
    (one) => textMember(one, 'info', 'name') === name,
  );
  if (database === undefined) return '';
  const region = textMember(database, 'info', 'region');
  return `https://${textMember(database, 'id')}-${region}.apps.astra.datastax.com`;
}
