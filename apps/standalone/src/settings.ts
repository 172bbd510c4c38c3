import { executorSettings } from '@millrace/executor';
import { gatewaySettings } from '@millrace/gateway';
import { ingestSettings } from '@millrace/ingest';
import { choice, defineSettings, text } from '@millrace/service';
import type { SettingsValues } from '@millrace/service';

/** What the standalone app can be told: all that its three services can, and where it keeps its data. */
export const standaloneSettings = defineSettings({
  ...executorSettings,
  ...ingestSettings,
  ...gatewaySettings,
  MILLRACE_DATA_DIRECTORY: text({
    default: '.millrace',
    description:
      'Where the standalone app keeps its database, its uploads, its encryption key and an API key. `--data` overrides it.',
  }),
  MILLRACE_DURABILITY: choice(['fsync', 'process'], {
    default: 'fsync',
    description:
      "What the standalone app's own database outlives. With `fsync` a commit waits for the disk and outlives a power failure; with `process` it is left to the operating system and outlives the end of the process alone. Means nothing where `DATABASE_URL` names a server. `--durability` overrides it.",
  }),
  MILLRACE_EXAMPLES_DIRECTORY: text({
    default: 'examples',
    description: 'Flow files that the standalone app loads on its first start; empty loads none.',
  }),
});

export type StandaloneSettings = SettingsValues<typeof standaloneSettings>;
