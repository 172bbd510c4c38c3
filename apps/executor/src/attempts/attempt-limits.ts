import { fixedLimits } from '@millrace/service';

/** The limits of every run and of the cached results of a user. */
export const attemptLimits = {
  limits: { maximumVertices: fixedLimits.runVertices, maximumOutputBytes: fixedLimits.outputBytes },
  resultCache: {
    maximumEntries: fixedLimits.userCachedResults,
    maximumCharacters: fixedLimits.cachedResultCharacters,
  },
} as const;
