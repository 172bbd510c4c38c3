/** A Langflow release whose texts differ from those of the other one. */
export type LangflowRelease = '1.11' | '1.13';
