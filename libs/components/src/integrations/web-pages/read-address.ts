import { ComponentError } from '@millrace/flow';

const looksLikeUrl = /^(https?:\/\/)?(www\.)?([a-zA-Z0-9.-]+)(\.[a-zA-Z]{2,})?(:\d+)?(\/\S*)?$/i;

/** Parses an address, with or without "https://". Throws when it is invalid. */
export function readAddress(text: string): URL {
  const trimmed = text.trim();
  const address = /^https?:\/\//.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (!looksLikeUrl.test(address) || !URL.canParse(address))
    throw new ComponentError(`Invalid URL: ${address}`);
  return new URL(address);
}
