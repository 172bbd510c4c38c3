import { ComponentError } from '@millrace/flow';
import { requireKey } from '../http/require-key';
import { serviceAddress } from '../http/service-address';
import { ApiKey } from '../models/api-key';

/** An account of AWS and the region to call. */
export interface AwsAccess {
  readonly accessKeyId: string;
  readonly secretAccessKey: ApiKey;
  /** Null for a permanent key. */
  readonly sessionToken: ApiKey | null;
  readonly region: string;
  /** The address of the service, without a trailing slash. */
  readonly baseUrl: string;
}

/** The fields of a component that calls AWS. */
export interface AwsFields {
  readonly aws_access_key_id: string;
  readonly aws_secret_access_key: string;
  readonly aws_session_token: string;
  readonly credentials_profile_name: string;
  readonly region_name: string;
  readonly endpoint_url: string;
}

/** Reads the access from a component's fields. Throws a ComponentError when something is missing. */
export function awsAccess(fields: AwsFields, service: string, host: string): AwsAccess {
  if (fields.credentials_profile_name !== '' && fields.aws_access_key_id === '') {
    throw new ComponentError(
      'A credentials profile of the host is not supported. Enter an AWS access key ID and a secret access key.',
    );
  }
  const region = fields.region_name.trim() || 'us-east-1';
  if (!/^[a-z0-9-]+$/.test(region)) throw new ComponentError(`The AWS region "${region}" is not valid.`);
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const token = fields.aws_session_token.trim();
  return {
    accessKeyId: requireKey(fields.aws_access_key_id, 'AWS Access Key ID'),
    secretAccessKey: new ApiKey(requireKey(fields.aws_secret_access_key, 'AWS Secret Access Key')),
    sessionToken: token === '' ? null : new ApiKey(token),
    region,
    baseUrl: serviceAddress(fields.endpoint_url || `https://${host}.${region}.${domain}`, service),
  };
}
