//! Human-readable interpretation (GS1 General Specifications, section 4.14): Application
//! Identifiers in parentheses, below the symbol, on as many lines as it needs. An element stays on
//! one line if a line has room for it.

/// Arranges elements in lines of at most this width, measured by `width`.
pub(crate) fn lines(elements: &[String], limit: f64, width: impl Fn(&str) -> f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for element in elements {
        if let Some(last) = lines.last_mut() {
            let longer = format!("{last} {element}");
            if width(&longer) <= limit {
                *last = longer;
                continue;
            }
        }
        lines.extend(broken(element, limit, &width));
    }
    lines
}

/// Returns an element as one line, or as several if it is longer than a line.
fn broken(element: &str, limit: f64, width: &impl Fn(&str) -> f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for char in element.chars() {
        let Some(last) = lines.last_mut() else { break };
        last.push(char);
        if width(last) > limit && last.chars().count() > 1 {
            last.pop();
            lines.push(char.to_string());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn lines_hold_whole_elements_where_they_can() {
        let width = |text: &str| text.len() as f64;
        let lines = |elements: &[&str], limit: f64| {
            let elements: Vec<String> = elements.iter().map(|text| (*text).to_owned()).collect();
            lines(&elements, limit, width)
        };
        assert_eq!(
            lines(&["(10) A", "(21) B", "(17) 271231"], 13.0),
            ["(10) A (21) B", "(17) 271231"]
        );
        assert_eq!(lines(&["(10) ABCDEF", "(21) B"], 8.0), ["(10) ABC", "DEF", "(21) B"]);
        assert_eq!(lines(&["(10)"], 0.5), ["(", "1", "0", ")"]);
        assert_eq!(lines(&[], 5.0), [""; 0]);
    }
}
