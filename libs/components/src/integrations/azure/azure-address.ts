import { ComponentError } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { textSetting } from '../text-setting';

const defaultVersion = '2025-03-01-preview';

/** Returns the base URL and query of a deployment on Azure, which has its own path and requires an API version. */
export function azureAddress(fields: Readonly<Record<string, PythonValue>>): {
  readonly baseUrl: string;
  readonly query: Readonly<Record<string, string>>;
} {
  const endpoint = textSetting(fields, ['azure_endpoint']);
  const deployment = textSetting(fields, ['azure_deployment']);
  if (endpoint === '' || deployment === '') {
    throw new ComponentError('An Azure endpoint and the name of a deployment are required.');
  }
  const host = endpoint
    .trim()
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\/openai(\/.*)?$/s, '');
  return {
    baseUrl: `${host}/openai/deployments/${encodeURIComponent(deployment)}`,
    query: { 'api-version': textSetting(fields, ['api_version']) || defaultVersion },
  };
}
