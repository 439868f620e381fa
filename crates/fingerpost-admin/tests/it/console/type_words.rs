//! The words by which the console finds link types.

/// PE-12: everyday words find a link type in each language of the console: in its title, or among
/// the words for it. The browser test of the picker shows that it searches them.
#[test]
fn everyday_words_find_a_link_type_in_each_language() {
    // manual, shop, coupon, organic, origin, contest
    let types = [
        "instructions",
        "hasRetailers",
        "promotion",
        "certificationInfo",
        "traceability",
        "promotion",
    ];
    for (language, words) in [
        ("en", ["manual", "shop", "coupon", "organic", "origin", "contest"]),
        ("de", ["anleitung", "laden", "gutschein", "bio", "herkunft", "gewinnspiel"]),
        ("fr", ["mode d’emploi", "magasin", "coupon", "bio", "origine", "concours"]),
        ("es", ["manual", "tienda", "cupón", "ecológico", "origen", "concurso"]),
        ("pt", ["manual", "loja", "cupom", "orgânico", "origem", "concurso"]),
        ("ja", ["マニュアル", "ショップ", "クーポン", "オーガニック", "産地", "懸賞"]),
        ("ar", ["دليل", "متجر", "قسيمة", "عضوي", "المنشأ", "مسابقة"]),
    ] {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data");
        let read = |path: String| std::fs::read_to_string(&path).expect("a file of the repository");
        let texts = read(format!("{root}/texts/console/{language}.toml"));
        let texts: toml::Value = toml::from_str(&texts).expect("TOML");
        let terms: serde_json::Value =
            serde_json::from_str(&read(format!("{root}/link-types.json"))).expect("JSON");
        for (word, link_type) in words.into_iter().zip(types) {
            let own = texts["type_words"].get(link_type).and_then(toml::Value::as_str);
            let mut rows = terms["rows"].as_array().expect("rows").iter();
            let row = rows.find(|row| row["name"] == link_type).expect("a link type");
            // The synonyms of link types are English.
            let built_in =
                if language == "en" { row["synonyms"].to_string() } else { String::new() };
            let found = [own.unwrap_or_default(), &built_in]
                .iter()
                .any(|words| words.to_lowercase().contains(word));
            assert!(found, "{language}: {word} does not find {link_type}");
        }
    }
}
