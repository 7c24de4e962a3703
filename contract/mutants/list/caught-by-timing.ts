const savedValue = 'conformance.getVerificationSetting.200.saved-value';

/** The mutants of concurrency and of limit windows, by the checks of their broken promise. */
export const caughtByTiming: Readonly<Record<string, readonly string[]>> = {
  [savedValue]: ['setting-opposite-with-client-ip'],
  // Any of these checks may be the first to read the setting half a second after an update.
  [`${savedValue} 3.1-S* explored.*`]: ['setting-moves-by-itself'],
  '4.1-O1.while-updating': ['reading-unavailable-while-updating'],
  [`3.1-S3.while-saved-again-on ${savedValue}`]: ['reading-off-while-updating'],
  [`3.1-S3.while-saved-again-off ${savedValue}`]: ['reading-on-while-updating'],
  [`4.1-O1.while-updating 3.1-S3.while-* ${savedValue}`]: ['reading-kept-from-an-update'],
  '4.3-O1.*-while-updating': ['case-unavailable-while-updating', 'case-without-files-while-updating'],
  '4.2-O1.at-once': ['second-update-at-once-unavailable', 'updates-at-once-share-a-response'],
  [`3.1-S1.at-once ${savedValue}`]: ['updates-at-once-switch-off'],
  [`3.1-S2.at-once ${savedValue}`]: ['updates-at-once-switch-on'],
  [`3.1-S1.at-once 3.1-S2.at-once ${savedValue}`]: ['updates-at-once-cancel-out'],
  '4.2-R5.at-once': ['update-at-once-lost', 'audit-doubled-at-once'],
  [`3.1-S1.stays-on ${savedValue}`]: ['setting-off-after-many-requests', 'setting-off-after-refusals'],
  'D185.after-many-requests': ['permission-given-after-many-requests', 'message-changes-after-many-requests'],
  'D16.response-times': ['foreign-case-slower', 'unknown-case-slower'],
  'D186.counts-down': ['reset-constant', 'reset-in-milliseconds'],
  'D31.whole-quota': ['limit-refuses-while-ten-left', 'limit-refuses-each-fortieth'],
  'D31.apart-a-key-from-another-key': ['limit-shared-by-keys', 'limit-shared-by-organisation'],
  'D31.apart-a-key-from-a-forbidden-key': ['limit-shared-with-the-forbidden'],
  'D31.apart-a-key-from-a-token': ['limit-shared-by-key-and-token'],
  'D31.apart-a-token-from-another-token': ['limit-shared-by-tokens'],
  'D31.apart-*': ['limit-shared-by-all-credentials'],
  'D31.apart-from-headers': ['limit-by-forwarded-for', 'limit-by-real-ip'],
  'D31.key-whatever-headers-say': ['used-up-key-renewed-by-forwarded-for', 'used-up-key-renewed-by-real-ip'],
  'D31.address-whatever-headers-say': ['address-taken-from-forwarded-for', 'address-taken-from-real-ip'],
};
