export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** Begins the command that is suggested, such as `npm start --`. */
  readonly command: string;
}

export function listenFailure(
  error: unknown,
  place: ListenPlace,
): Promise<{ readonly sentence: string; readonly isWrongHost: boolean }>;
