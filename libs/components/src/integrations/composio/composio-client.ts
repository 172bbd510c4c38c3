import { ComponentError, isDict, jsonValue } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callJson } from '../http/call-service';
import { recordedStep } from '../recorded-step';
import { member, objectsMember, textMember } from '../http/json-members';
import { requireKey } from '../http/require-key';

const base = 'https://backend.composio.dev/api/v3';
const maximumActions = 500;

/** The API key, and the Composio user on whose behalf actions run. */
export interface ComposioAccess {
  readonly apiKey: string;
  readonly userId: string;
}

/** An action that Composio can execute in an application. */
export interface ComposioAction {
  /** For example GMAIL_SEND_EMAIL. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: PythonObject;
}

export type ActionQuery = { readonly slugs: readonly string[] } | { readonly toolkit: string };

/** Returns the actions with the given slugs, or those of an application: the same ones in each attempt. */
export async function composioActions(
  access: ComposioAccess,
  filter: ActionQuery,
  context: ComponentContext,
): Promise<readonly ComposioAction[]> {
  const list = async () => ({ actions: await listActions(access, filter, context) });
  return (await recordedStep(context, () => 'actions', list)).actions;
}

async function listActions(
  { apiKey }: ComposioAccess,
  filter: ActionQuery,
  context: ComponentContext,
): Promise<readonly ComposioAction[]> {
  const key = composioKey(apiKey);
  const query = 'slugs' in filter ? { tool_slugs: filter.slugs.join(',') } : { toolkit_slug: filter.toolkit };
  const answer = await callJson(
    {
      service: 'Composio',
      url: `${base}/tools`,
      query: { ...query, limit: maximumActions },
      headers: { 'x-api-key': key },
      secrets: [key],
    },
    context,
  );
  return objectsMember(answer, 'items').map(actionOf);
}

/** Executes an action on behalf of the user and returns its result. */
export async function executeComposioAction(
  { apiKey, userId }: ComposioAccess,
  slug: string,
  actionArguments: PythonObject,
  context: ComponentContext,
): Promise<PythonValue> {
  const key = composioKey(apiKey);
  const answer = await callJson(
    {
      service: 'Composio',
      url: `${base}/tools/execute/${encodeURIComponent(slug)}`,
      method: 'POST',
      headers: { 'x-api-key': key },
      json: { user_id: userId, arguments: jsonValue(actionArguments) },
      secrets: [key],
    },
    context,
  );
  if (member(answer, 'successful') !== true) {
    const reason = textMember(answer, 'error') || 'no reason given';
    throw new ComponentError(`Composio could not execute ${slug}: ${reason}`);
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
