/** The data of an account that customers see. Both modes share it. A null field is not set. */
export type AccountProfile = {
  readonly supportEmail: string | null;
  readonly supportPhone: string | null;
  /** The statement descriptor of charges without their own. */
  readonly statementDescriptor: string | null;
  /** The IANA name of a time zone. Null uses the time zone of each reader. */
  readonly timeZone: string | null;
  /** `#rrggbb`: the color of the card form's buttons. */
  readonly brandColor: string | null;
  /** `#rrggbb`: the background color of the hosted payment page. */
  readonly backgroundColor: string | null;
  /** The file name of the logo, which contains a hash of its content. */
  readonly logo: string | null;
};

export const emptyProfile: AccountProfile = {
  supportEmail: null,
  supportPhone: null,
  statementDescriptor: null,
  timeZone: null,
  brandColor: null,
  backgroundColor: null,
  logo: null,
};
