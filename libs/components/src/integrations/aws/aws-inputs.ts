import { dropdown, secret, text } from '@millrace/flow';

/** The regions that an author can select; other names are accepted. */
const regions = [
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
  'us-gov-east-1',
  'us-gov-west-1',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-southeast-1',
  'ap-southeast-2',
  'ca-central-1',
  'eu-central-1',
  'eu-central-2',
  'eu-north-1',
  'eu-south-1',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'sa-east-1',
];

/** The inputs of components that call AWS. */
export const awsInputs = {
  aws_access_key_id: secret({ displayName: 'AWS Access Key ID', required: true }),
  aws_secret_access_key: secret({ displayName: 'AWS Secret Access Key', required: true }),
  aws_session_token: secret({ displayName: 'AWS Session Token', advanced: true }),
  credentials_profile_name: text({
    displayName: 'Credentials Profile Name',
    plain: true,
    advanced: true,
  }),
  region_name: dropdown({ displayName: 'Region Name', options: regions, default: 'us-east-1' }),
  endpoint_url: text({ displayName: 'Endpoint URL', advanced: true }),
};
