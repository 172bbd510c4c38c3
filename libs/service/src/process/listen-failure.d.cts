export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** Begins the command that is suggested, such as `npm start --`. */
  readonly command: string;
  /** What else must differ from a Millrace that has the port, as options: ` --data other`. */
  readonly besidesAnother?: string;
}

export function listenFailure(
  error: unknown,
  place: ListenPlace,
): Promise<{ readonly sentence: string; readonly isWrongHost: boolean }>;
