// Where a sign-in leads.

/** Goes to next, which is a path of this site, else to the start page. */
export function proceed(next) {
  const target = new URL(next || "/", location.origin);
  location.assign(target.origin === location.origin ? target.href : "/");
}
