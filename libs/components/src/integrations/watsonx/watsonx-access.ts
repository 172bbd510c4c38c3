import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { callJson } from '../http/call-service';
import { textMember } from '../http/json-members';
import { textSetting } from '../text-setting';

const tokenAddress = 'https://iam.cloud.ibm.com/identity/token';

/** Exchanges a key of IBM Cloud for a token, which is valid for an hour. */
export async function watsonxToken(apiKey: string, context: ComponentContext): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'urn:ibm:params:oauth:grant-type:apikey', apikey: apiKey });
  const answer = await callJson(
    {
      service: 'IBM Cloud IAM',
      url: tokenAddress,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      repeatable: true,
      secrets: [apiKey],
    },
    context,
  );
  const token = textMember(answer, 'access_token');
  if (token === '') throw new ComponentError('IBM Cloud IAM returned no token.');
  return token;
}

/** Returns the account of a call: the project or the deployment space of the vertex, else the project of a variable. */
export async function watsonxScope(context: ComponentContext): Promise<Readonly<Record<string, string>>> {
  const { fields } = context;
  const projectId = textSetting(fields, ['project_id']);
  const spaceId = textSetting(fields, ['space_id']);
  if (projectId === '' && spaceId !== '') return { space_id: spaceId };
  const project = projectId || (await context.variable('WATSONX_PROJECT_ID')) || '';
  if (project === '')
    throw new ComponentError('A project ID or a deployment space ID is required for watsonx.');
  return { project_id: project };
}
