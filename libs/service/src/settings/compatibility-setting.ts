import { choice } from './kinds';

/** The setting that selects the Langflow release whose answers the services give. */
export const compatibilitySetting = choice(['1.13', '1.11', 'strict'], {
  default: '1.13',
  description:
    'The Langflow release whose answers clients get: [what changed between the two](../use/compatibility.md#answers-of-langflow-111). `strict` is `1.11` with three harmless bugs of Langflow. All services of an installation need the same value.',
});

/** A Langflow release whose answers differ from those of the other one. */
export type LangflowRelease = '1.11' | '1.13';

/** Returns the release for a value of the setting. */
export function langflowRelease(compatibility: LangflowRelease | 'strict'): LangflowRelease {
  return compatibility === 'strict' ? '1.11' : compatibility;
}
