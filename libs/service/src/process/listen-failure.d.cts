export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** Beginning of the suggested command, such as `npm start --`. */
  readonly command: string;
  /** Further options for the case that another Millrace has the port: ` --data other`. */
  readonly besidesAnother?: string;
}

export function listenFailure(
  error: unknown,
  place: ListenPlace,
): Promise<{ readonly sentence: string; readonly isWrongHost: boolean }>;
