import { ComponentError, isDict, jsonValue } from '@millrace/flow';
import type { ComponentContext, PythonObject, PythonValue } from '@millrace/flow';
import { callJson } from '../http/call-service';
import { member, objectsMember, textMember } from '../http/json-members';
import { requireKey } from '../http/require-key';

const base = 'https://backend.composio.dev/api/v3';
const mostActions = 500;

/** Who asks Composio, and for which of its users. */
export interface ComposioAccess {
  readonly apiKey: string;
  readonly userId: string;
}

/** Something that Composio can do in an application. */
export interface ComposioAction {
  /** Such as GMAIL_SEND_EMAIL. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: PythonObject;
}

export type ActionQuery = { readonly slugs: readonly string[] } | { readonly toolkit: string };

/** The actions with these names, or those of an application. */
export async function composioActions(
  { apiKey }: ComposioAccess,
  wanted: ActionQuery,
  context: ComponentContext,
): Promise<readonly ComposioAction[]> {
  const key = composioKey(apiKey);
  const query = 'slugs' in wanted ? { tool_slugs: wanted.slugs.join(',') } : { toolkit_slug: wanted.toolkit };
  const answer = await callJson(
    {
      service: 'Composio',
      url: `${base}/tools`,
      query: { ...query, limit: mostActions },
      headers: { 'x-api-key': key },
      secrets: [key],
    },
    context,
  );
  return objectsMember(answer, 'items').map(actionOf);
}

/** Does something in an application in the name of the user; gives what came of it. */
export async function executeComposioAction(
  { apiKey, userId }: ComposioAccess,
  slug: string,
  given: PythonObject,
  context: ComponentContext,
): Promise<PythonValue> {
  const key = composioKey(apiKey);
  const answer = await callJson(
    {
      service: 'Composio',
      url: `${base}/tools/execute/${encodeURIComponent(slug)}`,
      method: 'POST',
      headers: { 'x-api-key': key },
      json: { user_id: userId, arguments: jsonValue(given) },
      secrets: [key],
    },
    context,
  );
  if (member(answer, 'successful') !== true) {
    const said = textMember(answer, 'error') || 'no reason given';
    throw new ComponentError(`Composio could not execute ${slug}: ${said}`);
  }
  return member(answer, 'data');
}

function composioKey(apiKey: string): string {
  return requireKey(apiKey, 'Composio API Key');
}

function actionOf(item: PythonObject): ComposioAction {
  const parameters = member(item, 'input_parameters');
  const slug = textMember(item, 'slug');
  return {
    slug,
    name: textMember(item, 'name') || slug,
    description: textMember(item, 'description'),
    parameters: isDict(parameters) ? parameters : {},
  };
}
