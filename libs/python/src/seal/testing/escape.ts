/** A try of authors' code to do what only the service may do. */
export interface Escape {
  readonly title: string;
  /** The body of a Python function; a true result means that the try succeeded. See `run_sealed.py` for `world`. */
  readonly code: string;
  /** How it ends in a sealed process; as a permission that is missing, unless given. */
  readonly ends?: RegExp;
  /** False where an unsealed process cannot do it either, on some machines or without being root. */
  readonly worksUnsealed?: false;
  /** Options of the seal that differ from those of the other tries. */
  readonly options?: Readonly<Record<string, number>>;
}

export const PERMISSION = /^raised PermissionError /;
/** The file is not there, or cannot be opened. */
export const NO_FILE = /^raised (PermissionError|FileNotFoundError) /;
export const NO_SUCH_CALL = /^raised (PermissionError EPERM|OSError ENOSYS)/;
/** What a try returns that succeeded. */
export const SUCCESS = /^returned (?!false$|null$|0$|\[\]$)/;
