/** The settings are wrong; `faults` lists all faults. A service exits with code 78 (EX_CONFIG). */
export class SettingsError extends Error {
  readonly code = 'settings_invalid';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`Wrong settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
    this.faults = faults;
  }
}
