export function wholeNumber(range?: {
  readonly minimum?: number;
  readonly maximum?: number;
}): (text: string) => number;
