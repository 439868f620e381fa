//! Passwords from a file, in the format of libpq: a line
//! `HOST:PORT:DATABASE:USER:PASSWORD` for each, of which the first four can be `*`, and in which
//! `\:` and `\\` stand for `:` and `\`. The first line that fits counts; `#` begins a comment.

/// What a password is for.
pub(crate) struct Login<'l> {
    pub(crate) host: &'l str,
    pub(crate) port: u16,
    pub(crate) database: &'l str,
    pub(crate) user: &'l str,
}

/// Returns the password of the first line that fits.
pub(crate) fn find(file: &str, login: &Login<'_>) -> Option<String> {
    let port = login.port.to_string();
    let wanted = [login.host, &port, login.database, login.user];
    file.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let (fields, password) = split(line)?;
        let fits = |(field, wanted): (&String, &str)| field == "*" || field == wanted;
        fields.iter().zip(wanted).all(fits).then_some(password)
    })
}

/// Splits a line into four fields and the password.
fn split(line: &str) -> Option<([String; 4], String)> {
    let mut fields = [const { String::new() }; 4];
    let (mut password, mut at) = (String::new(), 0);
    let mut rest = line.chars();
    while let Some(char) = rest.next() {
        let field = fields.get_mut(at).unwrap_or(&mut password);
        match char {
            '\\' => field.extend(rest.next()),
            ':' if at < 4 => at += 1,
            char => field.push(char),
        }
    }
    (at == 4 && !password.is_empty()).then_some((fields, password))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_counts() {
        let file = "# comment:1:2:3:4\nbroken\n\n*:5432:links:bob:his\ndb:5432:*:ada:a\\:b\\\\c\n*:*:*:ada:any:thing\n";
        let of = |host, port, user| find(file, &Login { host, port, database: "links", user });
        assert_eq!(of("db", 5432, "ada").as_deref(), Some("a:b\\c"));
        assert_eq!(of("db", 5433, "ada").as_deref(), Some("any:thing"));
        assert_eq!(of("other", 5432, "bob").as_deref(), Some("his"));
        assert_eq!(of("other", 5433, "bob"), None);
        for broken in ["a:b:c:d:", "a:b:c:d", ":", "\\", "a:b:c:d\\"] {
            let login = Login { host: "a", port: 1, database: "c", user: "d" };
            assert_eq!(find(broken, &login), None, "{broken}");
        }
    }
}
