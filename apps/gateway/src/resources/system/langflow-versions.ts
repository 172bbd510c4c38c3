import type { LangflowRelease } from '@millrace/service';

/** The Langflow version whose answers clients get; clients check it. */
export const langflowVersions: Readonly<Record<LangflowRelease, string>> = {
  '1.11': '1.11.0',
  '1.13': '1.13.0',
};
