// Not from the index: main.ts reads the settings before tracing patches the modules that the services load.
import { executorSettings } from '@millrace/executor/settings';
import { sharedGatewaySettings } from '@millrace/gateway/settings';
import { ingestSettings } from '@millrace/ingest/settings';
import { choice, defineSettings, text } from '@millrace/service';
import type { SettingsValues } from '@millrace/service';

// One process has its limits to itself.
const ofServices = without({ ...executorSettings, ...ingestSettings, ...sharedGatewaySettings });

/** The settings of the standalone app: those of its three services, and its own. */
export const standaloneSettings = defineSettings({
  ...ofServices,
  MILLRACE_DATA_DIRECTORY: text({
    default: '.millrace',
    description:
      'Folder of the database, uploads, encryption key and API key of the standalone app. `--data` overrides it.',
  }),
  MILLRACE_DURABILITY: choice(['fsync', 'process'], {
    default: 'fsync',
    description:
      'Durability of commits to the embedded database. With `fsync`, a commit waits for the disk and survives a power failure; with `process`, the operating system writes it later, and it survives only the end of the process. Has no effect when `DATABASE_URL` is set. `--durability` overrides it.',
  }),
});

function without<Definition extends { readonly MILLRACE_TOTAL_WORKERS: unknown }>(
  definition: Definition,
): Omit<Definition, 'MILLRACE_TOTAL_WORKERS'> {
  const { MILLRACE_TOTAL_WORKERS: ofSeveral, ...others } = definition;
  void ofSeveral;
  return others;
}

export type StandaloneSettings = SettingsValues<typeof standaloneSettings>;
