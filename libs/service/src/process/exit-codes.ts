/** The settings are wrong (EX_CONFIG): a restart without a change cannot help. */
export const EXIT_CONFIGURATION = 78;
